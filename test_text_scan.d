test_text_scan.o: tests/unit/text/test_text_scan.c tests/support/test.h \
  formats/base/base.h formats/base/shared.h formats/base/types.h \
  formats/base/short_names.h formats/base/status.h compiler/text/json.h \
  compiler/text/diag.h compiler/text/memory.h formats/base/slots.h \
  tests/support/test_input.h compiler/text/text_scan.h

tests/support/test.h:

formats/base/base.h:

formats/base/shared.h:

formats/base/types.h:

formats/base/short_names.h:

formats/base/status.h:

compiler/text/json.h:

compiler/text/diag.h:

compiler/text/memory.h:

formats/base/slots.h:

tests/support/test_input.h:

compiler/text/text_scan.h:

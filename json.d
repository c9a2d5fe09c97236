json.o: compiler/text/json.c compiler/text/json_internal.h \
  compiler/text/json.h compiler/text/diag.h compiler/text/memory.h \
  formats/base/base.h formats/base/shared.h formats/base/types.h \
  formats/base/short_names.h formats/base/status.h formats/base/slots.h \
  compiler/text/json_list.h compiler/text/json_number.h \
  compiler/text/text_scan.h formats/base/utf8.h

compiler/text/json_internal.h:

compiler/text/json.h:

compiler/text/diag.h:

compiler/text/memory.h:

formats/base/base.h:

formats/base/shared.h:

formats/base/types.h:

formats/base/short_names.h:

formats/base/status.h:

formats/base/slots.h:

compiler/text/json_list.h:

compiler/text/json_number.h:

compiler/text/text_scan.h:

formats/base/utf8.h:

memory.o: compiler/text/memory.c compiler/text/memory.h \
  formats/base/base.h formats/base/shared.h formats/base/types.h \
  formats/base/short_names.h formats/base/status.h formats/base/slots.h \
  formats/base/exit_codes.h formats/platform/pages.h

compiler/text/memory.h:

formats/base/base.h:

formats/base/shared.h:

formats/base/types.h:

formats/base/short_names.h:

formats/base/status.h:

formats/base/slots.h:

formats/base/exit_codes.h:

formats/platform/pages.h:

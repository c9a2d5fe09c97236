pages.o: formats/platform/pages.c formats/platform/pages.h \
  formats/base/base.h formats/base/shared.h formats/base/types.h \
  formats/base/short_names.h formats/base/status.h \
  formats/platform/clock.h

formats/platform/pages.h:

formats/base/base.h:

formats/base/shared.h:

formats/base/types.h:

formats/base/short_names.h:

formats/base/status.h:

formats/platform/clock.h:

file.o: formats/platform/file.c formats/platform/file_internal.h \
  formats/platform/file.h formats/base/base.h formats/base/shared.h \
  formats/base/types.h formats/base/short_names.h formats/base/status.h \
  formats/platform/pages.h formats/platform/clock.h

formats/platform/file_internal.h:

formats/platform/file.h:

formats/base/base.h:

formats/base/shared.h:

formats/base/types.h:

formats/base/short_names.h:

formats/base/status.h:

formats/platform/pages.h:

formats/platform/clock.h:

/**
 * Name of the `Server-Timing` metric of a 304: what the browser shows is its own copy of an earlier visit. A script can
 * read it before the first frame in every engine; `deliveryType` is Chromium's alone, and sizes are known too late.
 */
export const KEPT_TIMING = 'kept'

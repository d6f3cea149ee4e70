/** Cookies that our server sets for a visitor who allowed what they are for. */
export const VISITOR_COOKIE = 'portico_visitor'
export const ANALYTICS_COOKIE = 'portico_analytics'
/** As long as the choice that allows them. */
export const VISITOR_COOKIE_DAYS = 182

/** Paths and cookie of counting that the page needs too, without the schemas of `visits.ts`. */
export const CLICKS_PATH = '/api/clicks'
export const VIEWS_PATH = '/api/views'

/** On the root element of pages whose visits are not counted (`VISIT_COUNTS=off`). Short, because scripts contain it. */
export const UNCOUNTED_ATTRIBUTE = 'data-off'

/** Set only for visitors who object to being counted: essential, and without an identifier. */
export const OBJECTION_COOKIE = 'portico_nao_contar'
export const OBJECTION_DAYS = 365

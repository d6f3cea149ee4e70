/** Apart from `server-event.ts`: the page needs nothing of its schema. */
export const EVENTS_PATH = '/api/events'

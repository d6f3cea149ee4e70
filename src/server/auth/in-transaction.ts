/** A transaction of the auth service: the discipline of every other. */
export { change as inTransaction } from '../db/change.ts'

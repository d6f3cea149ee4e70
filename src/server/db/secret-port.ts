import type { Db } from './database.ts'

/** The one row that a sealed text belongs to: it cannot be read in any other. */
export interface SecretPlace {
  table: string
  column: string
  row: string
}

/** What `app.ts` hands to a service that keeps something secret in the database. */
export interface SecretPort {
  /** Pass the transaction that stores the text, so that no change of key comes between the two. */
  seal(trx: Db, place: SecretPlace, text: string): Promise<string>
  open(place: SecretPlace, sealed: string): Promise<string>
}

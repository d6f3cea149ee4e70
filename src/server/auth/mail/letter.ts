/** What a letter says; how it looks is decided in one place, `render-letter.ts`. */
export interface Letter {
  subject: string
  paragraphs: string[]
  action?: { label: string; url: string }
  /** The six digits, for who reads mail on another device. */
  code?: string
  /** After the link or the code: how long it lasts, and what to do if it was not them. */
  closing: string[]
}

export interface LetterInput {
  brandName: string
  /** Opens the dashboard with the one-time token. */
  url: string
  code: string
  newEmail: string
}

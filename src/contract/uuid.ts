/** Asked of every identifier before a query: PostgreSQL answers any other text in a column of ids with an error. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

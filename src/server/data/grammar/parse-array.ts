import { Cursor } from './cursor.ts'

/** `{a,"b,c"}`, PostgreSQL's way of writing an array. */
export function parseArray(text: string, what: string): string[] {
  const cursor = new Cursor(text, what)
  cursor.expect('{')
  if (cursor.take('}')) {
    cursor.expectEnd()
    return []
  }
  const values: string[] = []
  do values.push(cursor.peek() === '"' ? cursor.takeQuoted() : cursor.takeUntil(',}"').trim())
  while (cursor.take(','))
  cursor.expect('}')
  cursor.expectEnd()
  return values
}

import type { AppError } from '#server/http/errors.ts'
import { protocolError } from '../errors.ts'

/** `{a,"b,c"}`, PostgreSQL's array syntax. */
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

const SPACE = /[ \t]*/y

/** Reads one parameter from left to right; anything unexpected is the protocol's parse error with its position. */
export class Cursor {
  readonly #text: string
  readonly #what: string
  #at = 0

  /** `what` names the parameter in errors: "filter", "order", … */
  constructor(text: string, what: string) {
    this.#text = text
    this.#what = what
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  peek(): string {
    return this.#text[this.#at] ?? ''
  }

  /** Consumes `literal` if it comes next. */
  take(literal: string): boolean {
    if (!this.#text.startsWith(literal, this.#at)) return false
    this.#at += literal.length
    return true
  }

  /** Consumes what a sticky expression matches here. */
  takeMatch(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at
    const match = sticky.exec(this.#text)
    if (match !== null) this.#at += match[0].length
    return match
  }

  /** Consumes `literal` if it comes next, with spaces and tabs around it. */
  takeSpaced(literal: string): boolean {
    const start = this.#at
    this.takeMatch(SPACE)
    if (this.take(literal)) return this.takeMatch(SPACE) !== null
    this.#at = start
    return false
  }

  expectSpaced(literal: string): void {
    if (!this.takeSpaced(literal)) throw this.fault(`"${literal}"`)
  }

  expect(literal: string): void {
    if (!this.take(literal)) throw this.fault(`"${literal}"`)
  }

  /** Everything up to a stop character or the end; may be empty. */
  takeUntil(stops: string): string {
    const start = this.#at
    while (!this.atEnd && !stops.includes(this.peek())) this.#at++
    return this.#text.slice(start, this.#at)
  }

  takeRest(): string {
    const rest = this.#text.slice(this.#at)
    this.#at = this.#text.length
    return rest
  }

  /** A column or alias: quoted, or plain up to a stop character. */
  takeName(stops: string): string {
    const name = this.peek() === '"' ? this.takeQuoted() : this.takeUntil(stops).trim()
    if (name === '') throw this.fault('field name')
    return name
  }

  /** In quotes, where a backslash escapes the next character. */
  takeQuoted(): string {
    this.expect('"')
    let value = ''
    while (!this.atEnd) {
      const character = this.peek()
      this.#at++
      if (character === '"') return value
      if (character !== '\\') value += character
      else if (!this.atEnd) {
        value += this.peek()
        this.#at++
      }
    }
    throw this.fault('"\\""')
  }

  /** `{…}` with its braces, unchanged; braces in quotes do not count. */
  takeBraced(): string {
    const start = this.#at
    this.expect('{')
    while (!this.atEnd && this.peek() !== '}') {
      if (this.peek() === '"') this.takeQuoted()
      else this.#at++
    }
    this.expect('}')
    return this.#text.slice(start, this.#at)
  }

  expectEnd(): void {
    if (!this.atEnd) throw this.fault('end of input')
  }

  fault(expected: string): AppError {
    const found = this.atEnd ? 'end of input' : JSON.stringify(this.peek())
    return protocolError(
      400,
      'PGRST100',
      `"failed to parse ${this.#what} (${this.#text})" (line 1, column ${this.#at + 1})`,
      { details: `unexpected ${found} expecting ${expected}` },
    )
  }
}

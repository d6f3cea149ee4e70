import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { judgeRefresh, readRefreshToken, signRefreshToken } from './tokens.ts'

describe('a refresh token', () => {
  const sessionId = randomUUID()

  test.each([0, 1, 4_294_967_296])('contains its session and the number %d', (counter) => {
    const token = signRefreshToken('segredo', sessionId, counter)
    expect(token).toMatch(/^[\w-]{72}$/)
    expect(signRefreshToken('segredo', sessionId, counter)).toBe(token)
    expect(readRefreshToken('segredo', token)).toEqual({ sessionId, counter })
  })

  test('is refused with any letter changed, cut, added or signed with another secret', () => {
    const token = signRefreshToken('segredo', sessionId, 7)
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      expect(readRefreshToken('segredo', changed)).toBeNull()
    }
    for (const other of ['', token.slice(1), `${token}A`, '-'.repeat(72), '='.repeat(72)])
      expect(readRefreshToken('segredo', other)).toBeNull()
    expect(readRefreshToken('outro', token)).toBeNull()
  })
})

describe('judgeRefresh', () => {
  const REFRESHED = Date.parse('2026-11-15T12:00:00.000Z')
  const DAY = 86_400
  test.each([
    ['the newest', 5, 5, 0, { rotate: 6 }],
    ['the newest, much later', 5, 5, 30 * DAY, { rotate: 6 }],
    ['one from after the backup', 9, 5, DAY, { rotate: 10 }],
    ['the one before, at once', 4, 5, 0, { repeat: 5 }],
    ['the one before, much later', 4, 5, 30 * DAY, { repeat: 5 }],
    ['an older one within ten seconds', 3, 5, 9.9, { repeat: 5 }],
    ['the first within ten seconds', 0, 5, 9.9, { repeat: 5 }],
    ['an older one after ten seconds', 3, 5, 10, 'reused'],
    ['the first, much later', 0, 5, DAY, 'reused'],
    ['an older one on a replica whose clock is behind by 30 seconds', 3, 5, -30, { repeat: 5 }],
    ['an older one after the clock was set back by a day', 3, 5, -DAY, 'reused'],
  ] as const)('%s', (_which, counter, current, seconds, expected) => {
    expect(judgeRefresh(counter, current, REFRESHED, REFRESHED + seconds * 1000)).toEqual(expected)
  })
})

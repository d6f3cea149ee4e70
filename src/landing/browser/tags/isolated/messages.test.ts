import { expect, test } from 'vitest'
import { JAR_MAX_LENGTH } from '#contract/isolated-frame.ts'
import { readFrameMessage } from './messages.ts'

const report = (change: object = {}) => ({
  portico: 'report',
  report: { result: { id: 'x', outcome: 'ran' }, stopped: [], isFinal: true, ...change },
})

test("rebuilds a frame's message without unknown parts", () => {
  const sent = report({
    result: { id: 'another', outcome: 'failed', error: 'x', hit: 'sent', ms: 3, requests: 2, extra: 1 },
    hosts: { 'a.example': 'answered', 'b.example': 'perhaps' },
    stopped: [{ host: 'https://c.example', directive: 'img-src', source: '/tags/another.js' }, null],
    sees_all: true,
    conversion: { name: 'lead', ids: ['another'] },
  })
  expect(readFrameMessage(sent)).toEqual({
    portico: 'report',
    report: {
      result: { id: '', outcome: 'failed', error: 'x', hit: 'sent', ms: 3, requests: 2 },
      hosts: { 'a.example': 'answered' },
      stopped: [{ host: 'https://c.example', directive: 'img-src' }],
      sees_all: true,
      isFinal: true,
    },
  })
  for (const portico of ['told', 'heard'])
    expect(readFrameMessage({ portico, id: 'a', name: 'lead' })).toEqual({ portico, id: 'a' })
  const jar = { local: '{}', session: '' }
  expect(readFrameMessage({ portico: 'jar', jar })).toEqual({ portico: 'jar', jar })
})

test.each([
  [null],
  ['report'],
  [{ portico: 'start' }],
  [{ portico: 'told', id: 5 }],
  [{ portico: 'told', id: 'x'.repeat(37) }],
  [{ portico: 'heard', id: 'x'.repeat(37) }],
  [{ portico: 'jar', jar: 'text' }],
  [{ portico: 'jar', jar: { local: 'x'.repeat(JAR_MAX_LENGTH + 1), session: '' } }],
  [{ portico: 'jar', jar: { local: {}, session: '' } }],
  [{ portico: 'report' }],
  [report({ result: { outcome: 'great' } })],
  [report({ stopped: Array(41).fill({ host: 'https://a.example', directive: 'img-src' }) })],
  [report({ hosts: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`h${at}.example`, 'sent'])) })],
])('ignores anything else: %j', (data) => {
  expect(readFrameMessage(data)).toBeNull()
})

test('leaves out an invalid number', () => {
  for (const ms of [-1, 1.5, 60_001, '3', Number.NaN]) {
    const read = readFrameMessage(report({ result: { outcome: 'ran', ms, requests: 1 } }))
    expect(read).toMatchObject({ report: { result: { outcome: 'ran' } } })
    expect(read).not.toHaveProperty('report.result.ms')
  }
})

import { expect, test } from 'vitest'
import { apiOf, type Job, type Target } from '../conversions/destinations/destination.ts'
import { DESTINATIONS } from '../conversions/destinations/destinations.ts'
import { askConfirmation, sendEvents } from '../conversions/send-events.ts'
import { makeServiceAccountKey } from './pixels.ts'
import { EXPIRED, StandIns } from './stand-ins.ts'

const KEY = makeServiceAccountKey()
const standIns = new StandIns({ failsFrom: Number.POSITIVE_INFINITY })

function targetOf(id: string, secret: string): Target {
  const destination = DESTINATIONS.find((each) => each.id === id) as Target['destination']
  return {
    destination,
    account: '1',
    secret: destination.exchange === undefined ? secret : KEY,
    url: 'https://hooks.exemplo.com.br/',
    sendsEmail: false,
    siteUrl: 'https://www.exemplo.com.br',
    api: apiOf(destination, {}),
    eventIds: { lead: '1' },
  }
}

function send(id: string, secret: string) {
  const target = targetOf(id, secret)
  const payload = {
    at: Date.UTC(2026, 10, 18),
    path: '/',
    address: '189.6.10.20',
    agent: 'Firefox',
    marketing: true,
    visitor: '1',
    ...target.destination.test.ids(0),
  }
  const job = { event: 'lead', event_id: '1', payload } as Job
  return sendEvents(standIns, target, [job], new AbortController().signal)
}

test.each([
  ['meta', { state: 'accepted' }],
  ['tiktok', { state: 'accepted' }],
  ['pinterest', { verdicts: [{ state: 'accepted' }] }],
  ['linkedin', { state: 'accepted' }],
  ['google_ads', { state: 'unconfirmed' }],
])('answers as %s does', async (id, verdict) => {
  expect((await send(id, 'token-de-demonstracao')).verdict).toMatchObject(verdict)
})

test.each(['meta', 'tiktok', 'pinterest', 'linkedin'])('%s refuses an expired token', async (id) => {
  expect((await send(id, `token-${EXPIRED}`)).verdict).toMatchObject({ kind: 'stop', code: 'token_refused' })
})

test('answers as Google does when asked what became of an event', async () => {
  const target = targetOf('google_ads', '')
  const { answer } = await send('google_ads', '')
  const { confirmation } = target.destination
  if (confirmation === undefined || answer.kind !== 'answer') throw new Error('nothing to ask about')
  const asked = { id: confirmation.idOf(answer) ?? '', events: 1 }
  expect(asked.id).not.toBe('')
  const { signal } = new AbortController()
  expect(await askConfirmation(standIns, target, confirmation, asked, signal)).toEqual({
    kind: 'judged',
    confirmed: 1,
    refused: [],
  })
})

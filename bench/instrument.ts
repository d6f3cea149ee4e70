/**
 * Server time of a pixel's page and a switch with much data: all requests of the page of one of many pixels with ninety
 * days of counts, and the switch of one of many active pixels.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { startOfSiteDay } from '../src/contract/site.ts'
import { addPixels } from './add-pixels.ts'
import { type Contender, startPortico } from './data-service-contenders.ts'
import { median } from './measure-throughput.ts'

const HOUR_MS = 3_600_000
const DAYS = 90
/** A new directory has these. */
const FIRST = 50
const ROUNDS = 15

/** Measure, value, target. `counted` pixels have counts; `active` ones run when one is switched. */
export async function benchInstrument({
  counted,
  active,
}: {
  counted: number
  active: number
}): Promise<string[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const portico = await startPortico(directory)
  try {
    await addPixels(portico, counted - FIRST, true)
    const pixels = await addCounts(join(directory, 'portico', 'portico.db'))
    const opened = await repeat((round) => openPage(portico, pixels[(round * 7) % pixels.length] ?? ''))
    await addPixels(portico, active - counted, true)
    const switched = await repeat((round) => toggle(portico, pixels.at(-1) ?? '', round % 2 === 1))
    return [
      [`opening one of ${counted} pixels, ${DAYS} days of each, all answers`, inWords(opened), '< 100 ms'],
      [`switching one of ${active.toLocaleString('en')} pixels that run`, inWords(switched), '< 200 ms'],
    ]
  } finally {
    await portico.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

const inWords = (times: readonly number[]) =>
  `${median([...times]).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)}`

/** Every hour and day of every pixel, written to the file directly, because reports only bring current counts. */
async function addCounts(file: string): Promise<string[]> {
  const db = new DatabaseSync(file, { timeout: 10_000 })
  try {
    const ids = db.prepare('select id from tracking_pixels order by created_at').all() as { id: string }[]
    const hours = Array.from({ length: DAYS * 24 }, (_, ago) =>
      new Date((Math.floor(Date.now() / HOUR_MS) - ago) * HOUR_MS).toISOString(),
    )
    const days = new Set(hours.map((hour) => new Date(startOfSiteDay(Date.parse(hour))).toISOString()))
    const count = db.prepare(
      `insert into counts (subject, series, resolution, at, key, shard, count)
       select ?, 'tag.result', ?, times.value, results.key, 0, results.value from json_each(?) times, json_each(?) results`,
    )
    const seen = db.prepare('insert into tag_last_seen (pixel_id, shard, last_ran_at) values (?, 0, ?)')
    const results = JSON.stringify({ ran: 40, blocked: 5, failed: 1, not_consented: 12 })
    for (const { id } of ids) {
      db.exec('begin immediate')
      count.run(id, 'hour', JSON.stringify(hours), results)
      count.run(id, 'day', JSON.stringify([...days]), results)
      seen.run(id, hours[0] ?? null)
      db.exec('commit')
      // The server closes idle connections meanwhile, which must be noticed before the next request.
      await nextTurn()
    }
    return ids.map(({ id }) => id)
  } finally {
    db.close()
  }
}

/** All requests of the dashboard at once, until the last response is read. */
async function openPage({ request }: Contender, id: string): Promise<void> {
  const to = new Date().toISOString()
  const from = new Date(Date.now() - DAYS * 24 * HOUR_MS).toISOString()
  const paths = [
    '/admin/api/tags',
    `/admin/api/pixels/${id}/ledger?from=${from}&to=${to}&step=day`,
    `/admin/api/pixels/${id}/history`,
    `/admin/api/pixels/${id}/cost`,
    `/admin/api/pixels/${id}/tests`,
    `/admin/api/tags/${id}/hosts`,
  ]
  await Promise.all(paths.map((path) => ask(request, path)))
}

async function toggle({ request }: Contender, id: string, is_active: boolean): Promise<void> {
  await ask(request, `/rest/v1/tracking_pixels?id=eq.${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', prefer: 'return=representation' },
    body: JSON.stringify({ is_active }),
  })
}

async function ask(request: Contender['request'], path: string, options: RequestInit = {}): Promise<void> {
  const headers = { ...request.headers, ...(options.headers as Record<string, string>) }
  const answer = await fetch(new URL(path, request.url), { ...options, headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`)
}

/** Milliseconds of each; the first is not counted, because it compiles the code. */
async function repeat(work: (round: number) => Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now()
    await work(round)
    times.push(performance.now() - began)
  }
  return times.slice(1)
}

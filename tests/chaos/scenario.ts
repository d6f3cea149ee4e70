import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One way in which the environment of a running server breaks. A file in `scenarios/` that exports one is run. */
export interface Scenario {
  /** What breaks. */
  name: string
  promised: string
  /** Takes seconds and needs no root: `npm test` runs it as well. */
  quick?: true
  /** Why it cannot run on this machine; null if it can. */
  obstacle?: () => string | null
  /** Breaks it and reports what happened; throws if a promise was broken. */
  run(place: Place): Promise<string>
}

/** Where a scenario runs. Everything it creates is removed again, in reverse order. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'portico-chaos-'))
  /** Pause of clients between two calls. */
  readonly pauseMs: number
  readonly #cleanUps: (() => unknown)[] = []

  constructor({ pauseMs = 20 } = {}) {
    this.pauseMs = pauseMs
    this.atEnd(() => rmSync(this.folder, { recursive: true, force: true }))
  }

  atEnd(cleanUp: () => unknown): void {
    this.#cleanUps.push(cleanUp)
  }

  async leave(): Promise<void> {
    for (const cleanUp of this.#cleanUps.splice(0).reverse()) await cleanUp()
  }
}

export function needsRoot(): string | null {
  return process.getuid?.() === 0 ? null : 'needs root'
}

/** Polls until the condition is true; the time limit is a safety net. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  ms = 240_000,
): Promise<void> {
  const end = Date.now() + ms
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`waited ${ms / 1000} s in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** True if a port of this machine accepts connections. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

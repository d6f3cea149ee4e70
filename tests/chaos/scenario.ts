import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One way in which the surroundings of a running server break. A file in `scenarios/` that exports one is run. */
export interface Scenario {
  /** What is done to it. */
  name: string
  promised: string
  /** A matter of seconds that needs no root: `npm test` runs it as well. */
  quick?: true
  /** Why it cannot be tried on this machine; null when it can. */
  obstacle?: () => string | null
  /** Breaks it, and says what happened; throws when a promise was not kept. */
  run(place: Place): Promise<string>
}

/** Where a scenario takes place. Whatever it makes is taken away again, last things first. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'portico-chaos-'))
  /** How long whoever calls waits between two calls. */
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

/** Polls until the fact is there; the time is a net under a fact that never comes. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  ms = 60_000,
): Promise<void> {
  const end = Date.now() + ms
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`waited ${ms / 1000} s in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Whether somebody listens on a port of this machine. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The clock of a process that simulates the past: `Date` of this process reads it, so that all code of the product uses
 * it. Parallel work has its own time.
 */
export class SimulatedClock {
  readonly #own = new AsyncLocalStorage<{ now: number }>()
  #now: number

  constructor(now: number) {
    this.#now = now
  }

  get now(): number {
    return this.#own.getStore()?.now ?? this.#now
  }

  /** For everything without its own time. */
  moveTo(now: number): void {
    this.#now = Math.max(now, this.#now)
  }

  /** Runs this with its own time. */
  at<T>(now: number, work: () => Promise<T>): Promise<T> {
    return this.#own.run({ now }, work)
  }

  /** Makes this the clock of the process for the rest of its life. */
  install(): void {
    const now = () => this.now
    const RealDate = Date
    globalThis.Date = class extends RealDate {
      constructor(...parts: unknown[]) {
        if (parts.length === 0) super(now())
        else super(...(parts as [number]))
      }
      static override now(): number {
        return now()
      }
    } as DateConstructor
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { MINUTE_MS } from '#contract/durations.ts'
import { DatabaseUnavailableError, describeWait, isTlsFault, NO_TLS } from '../errors.ts'

/** A request waits this long for a connection, and a connection for the server. */
export const CONNECT_TIMEOUT_MS = 5_000

/** While closing, only the first wait for a connection may take this long. */
const LAST_CONNECT_MS = 1_000

/** The first pause after a connection that could not be opened. It doubles up to the longest. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** During a shorter pause requests wait: a restart of the database fails none. During a longer one they fail at once. */
const WORTH_WAITING_MS = 1_000

/** A server that is full for hours is mentioned this often. */
const FULL_LINE_MS = 10 * MINUTE_MS

/** Lifts the server's limit for the rest of the transaction, and ours until the connection is released. */
export const WITHOUT_TIME_LIMIT = 'set local statement_timeout = 0'

/** Where the pool writes a line at the start of an outage and one at its end. */
export interface ConnectionLog {
  warn(details: object, message: string): void
  info(details: object, message: string): void
}

/** The servers of an address. The next connection goes to the one that worked last. */
export class Hosts {
  readonly #urls: readonly string[]
  #place = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  get url(): string {
    return this.#urls[this.#place] ?? ''
  }

  get count(): number {
    return this.#urls.length
  }

  /** Moves on to the next host, unless that happened already. */
  skip(url: string): void {
    if (url === this.url) this.#place = (this.#place + 1) % this.#urls.length
  }
}

interface PatientPoolOptions {
  queryTimeoutMs: number
  log: ConnectionLog
  hosts: Hosts
}

interface Waiter {
  resolve: (client: pg.PoolClient) => void
  reject: (error: Error) => void
  deadline: NodeJS.Timeout
}

/**
 * The pool as Kysely sees it. `pg.Pool` fails the request that wanted a new connection if it cannot be opened. Here
 * requests wait in one line: whoever is first gets the next connection, whether it was released or opened. While none
 * can be opened, attempts are made one at a time, with growing pauses that differ from process to process.
 *
 * A silent host reports nothing, so each statement has its own deadline. A failed connection is never used again, not
 * even for the rollback.
 */
export class PatientPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #queryTimeoutMs: number
  readonly #log: ConnectionLog
  readonly #hosts: Hosts
  readonly #clients = new WeakMap<pg.PoolClient, GuardedClient>()
  /** Open connections, in use or idle. */
  readonly #working = new Set<pg.ClientBase>()
  #waiters: Waiter[] = []
  /** Idle connections on their way to a waiter. */
  #taking = 0
  /** Connections being opened. */
  #opening = 0
  /** Attempts to open a connection that failed one after the other. */
  #failures = 0
  #lastFailure: Error | null = null
  #pauseMs = 0
  #openAgainAt = 0
  #retry: NodeJS.Timeout | null = null
  #awaySince: number | null = null
  #lost = { count: 0, last: null as Error | null }
  #fullLineAt = Number.NEGATIVE_INFINITY
  #closeBy = Number.POSITIVE_INFINITY
  #hasGivenUp = false

  constructor(pool: pg.Pool, { queryTimeoutMs, log, hosts }: PatientPoolOptions) {
    this.#pool = pool
    this.#queryTimeoutMs = queryTimeoutMs
    this.#log = log
    this.#hosts = hosts
    pool.on('connect', (client) => this.#working.add(client))
    // An idle connection broke, for example because the server restarted.
    pool.on('error', (error, client) => this.#noteLost(client, error))
    pool.on('remove', (client) => {
      this.#working.delete(client)
      this.#serve()
    })
  }

  /** From here on nothing takes longer: the process ends, whether the database answers or not. */
  closeWithin(ms: number): void {
    this.#closeBy = performance.now() + ms
  }

  get options(): object {
    return this.#pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#waitForClient().catch((error: unknown) => {
      throw new DatabaseUnavailableError(error, { isLogged: this.#awaySince !== null })
    })
    const timeLimit = () => Math.max(1, Math.min(this.#queryTimeoutMs, this.#closeBy - performance.now()))
    // Kysely identifies connections by object.
    const known =
      this.#clients.get(client) ??
      new GuardedClient(client, {
        timeLimit,
        onLost: (error) => this.#noteLost(client, error),
        onReleased: () => this.#serve(),
      })
    this.#clients.set(client, known)
    return known
  }

  /** A connection that is still being opened is abandoned. */
  async end(): Promise<void> {
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#rejectAll(new Error('the connections are being closed'))
    const left = this.#closeBy - performance.now()
    const ended = this.#pool.end()
    await (left === Number.POSITIVE_INFINITY ? ended : Promise.race([ended, wait(Math.max(0, left))]))
  }

  #waitForClient(): Promise<pg.PoolClient> {
    const isClosing = this.#closeBy < Number.POSITIVE_INFINITY
    if (this.#hasGivenUp)
      return Promise.reject(new Error('the database does not answer, and the process is stopping'))
    if (this.#isResting && this.#working.size === 0 && this.#lastFailure !== null)
      return Promise.reject(this.#lastFailure)
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
    const ms = isClosing ? LAST_CONNECT_MS : CONNECT_TIMEOUT_MS
    const waiter: Waiter = {
      resolve,
      reject,
      deadline: setTimeout(() => {
        this.#waiters = this.#waiters.filter((each) => each !== waiter)
        if (isClosing) this.#hasGivenUp = true
        reject(this.#lastFailure ?? new NoConnectionError(ms))
      }, ms),
    }
    this.#waiters.push(waiter)
    this.#serve()
    return promise
  }

  /** True during a pause for which no request waits. */
  get #isResting(): boolean {
    return this.#pauseMs >= WORTH_WAITING_MS && performance.now() < this.#openAgainAt
  }

  /** Hands idle connections to those who wait, and opens new ones if that is possible. */
  #serve(): void {
    while (this.#waiters.length > this.#taking && this.#pool.idleCount > this.#taking) void this.#take()
    while (this.#waiters.length > this.#taking + this.#opening && this.#mayOpen()) void this.#open()
  }

  #mayOpen(): boolean {
    if (this.#pool.totalCount >= (this.#pool.options.max ?? 1)) return false
    if (this.#failures === 0) return true
    if (this.#opening > 0) return false
    const early = this.#openAgainAt - performance.now()
    if (early <= 0) return true
    this.#retry ??= setTimeout(() => {
      this.#retry = null
      this.#serve()
    }, early).unref()
    return false
  }

  async #take(): Promise<void> {
    this.#taking++
    const client = await this.#pool.connect().catch(() => null)
    this.#taking--
    this.#handOver(client)
  }

  async #open(): Promise<void> {
    this.#opening++
    try {
      const client = await this.#openAtAnyHost()
      this.#opening--
      this.#noteOpened()
      this.#handOver(client)
    } catch (error) {
      this.#opening--
      this.#noteFailed(error as Error)
      this.#serve()
    }
  }

  async #openAtAnyHost(): Promise<pg.PoolClient> {
    const errors: Error[] = []
    for (;;) {
      const { url } = this.#hosts
      try {
        return await this.#pool.connect()
      } catch (error) {
        errors.push(nameFailure(error as Error))
        this.#hosts.skip(url)
        if (errors.length >= this.#hosts.count) throw joinErrors(errors)
      }
    }
  }

  #handOver(client: pg.PoolClient | null): void {
    const waiter = client === null ? undefined : this.#waiters.shift()
    if (waiter === undefined) client?.release()
    else {
      clearTimeout(waiter.deadline)
      waiter.resolve(client as pg.PoolClient)
    }
    this.#serve()
  }

  #noteOpened(): void {
    const { count, last } = this.#lost
    if (this.#awaySince !== null) {
      const seconds = Math.round((performance.now() - this.#awaySince) / 100) / 10
      this.#log.info({ seconds, attempts: this.#failures }, 'the database can be reached again')
    } else if (count > 0)
      this.#log.warn({ err: last, connections: count }, 'database connections were lost and opened again')
    this.#lost = { count: 0, last: null }
    this.#awaySince = null
    this.#failures = 0
    this.#lastFailure = null
    this.#pauseMs = 0
  }

  #noteFailed(error: Error): void {
    this.#failures++
    this.#lastFailure = error
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1))
    this.#pauseMs = pause
    this.#openAgainAt = performance.now() + pause * (0.5 + Math.random() / 2)
    if (this.#working.size > 0) this.#noteFull(error)
    else {
      this.#noteAway(error)
      if (pause >= WORTH_WAITING_MS || !mayPass(error)) this.#rejectAll(error)
    }
  }

  #noteAway(error: Error): void {
    if (this.#awaySince !== null) return
    this.#awaySince = performance.now()
    this.#log.warn(
      { err: error, lost: this.#lost.count },
      'the database cannot be reached, will retry until it can',
    )
  }

  #noteFull(error: Error): void {
    const now = performance.now()
    if (now - this.#fullLineAt < FULL_LINE_MS) return
    this.#fullLineAt = now
    this.#log.warn(
      { err: error, connections: this.#working.size },
      'no further connection to the database could be opened: requests share the open ones',
    )
  }

  #noteLost(client: pg.ClientBase, error: Error): void {
    this.#working.delete(client)
    this.#lost = { count: this.#lost.count + 1, last: error }
  }

  #rejectAll(error: Error): void {
    for (const { deadline, reject } of this.#waiters.splice(0)) {
      clearTimeout(deadline)
      reject(error)
    }
  }
}

class NoConnectionError extends Error {
  /** As Node names a wait that was too long. */
  readonly code = 'ETIMEDOUT'

  constructor(ms: number) {
    super(`no connection to the database was free within ${ms} ms`)
  }
}

const FULL = '53300'

/** Failures to which the driver gives no code, and those to which PgBouncer gives the same one (08P01). */
const NAMELESS = [
  ['connection timeout', 'ETIMEDOUT'],
  ['Query read timeout', 'ETIMEDOUT'],
  ['query_wait_timeout', 'ETIMEDOUT'],
  ['server_login_retry', 'ETIMEDOUT'],
  ['max_client_conn', FULL],
  ['connection slots are reserved', FULL],
  ['too many clients', FULL],
  ['too many connections', FULL],
  ['does not support SSL', NO_TLS],
] as const

function nameFailure(error: Error): Error {
  const code = NAMELESS.find(([text]) => error.message.includes(text))?.[1]
  return code === undefined ? error : Object.assign(error, { code })
}

/** Of several hosts: the failure that says most about when it will work. */
function joinErrors(errors: readonly Error[]): Error {
  const [first] = errors
  if (first !== undefined && errors.length === 1) return first
  const telling = errors.find((error) => describeWait(error) !== null) ?? errors.find(isReadOnly) ?? first
  const message = errors.map((error) => error.message || codeOf(error)).join('; ')
  return Object.assign(new AggregateError(errors, message), { code: codeOf(telling) })
}

/** A refused user, a missing database or a bad certificate stay so until somebody acts. */
function mayPass(error: Error): boolean {
  const code = codeOf(error)
  return !(code.startsWith('28') || code === '3D000' || isTlsFault(code))
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY
}

interface ClientHooks {
  timeLimit: () => number
  onLost: (error: Error) => void
  onReleased: () => void
}

class GuardedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #hooks: ClientHooks
  #hasTimeLimit = true
  #failure: DatabaseUnavailableError | null = null

  constructor(client: pg.PoolClient, hooks: ClientHooks) {
    this.#client = client
    this.#hooks = hooks
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query(): never
  async query<R>(sql?: string, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    if (typeof sql !== 'string') throw new TypeError('cursors are not used')
    if (this.#failure !== null) throw this.#failure
    if (sql === WITHOUT_TIME_LIMIT) this.#hasTimeLimit = false
    try {
      const limit = this.#hasTimeLimit ? { query_timeout: this.#hooks.timeLimit() } : {}
      const result = await this.#client.query({ text: sql, values: [...parameters], ...limit })
      return result as unknown as PostgresQueryResult<R>
    } catch (error) {
      if (!isLost(error)) throw error
      this.#hooks.onLost(error as Error)
      this.#failure = new DatabaseUnavailableError(nameFailure(error as Error), { isLogged: true })
      throw this.#failure
    }
  }

  release(destroy = false): void {
    this.#hasTimeLimit = true
    this.#client.release(destroy || this.#failure !== null)
    this.#hooks.onReleased()
  }
}

const READ_ONLY = '25006'

/**
 * An error of a statement leaves the connection usable; a FATAL error, or no answer, ends it. A read-only connection (a
 * standby took over the address) is closed too: a new one may reach the primary.
 */
function isLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return error.severity === 'FATAL' || error.severity === 'PANIC' || isReadOnly(error)
  return !(error instanceof TypeError)
}

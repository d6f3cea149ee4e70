import type { FastifyRequest } from 'fastify'
import type { Engine } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import type { Recheck } from '../http/admin-request.ts'
import type { Caller } from '../http/caller.ts'
import { parseQuery } from './grammar/parse-query.ts'
import type { Query } from './grammar/query.ts'
import type { ListCache } from './list-cache.ts'
import type { LongAnswers } from './long-answers.ts'
import { type MediaType, negotiate } from './media-type.ts'
import { type Preferences, parsePreferences } from './preferences.ts'
import { planRead, type ReadPlan } from './read-plan.ts'
import { asDynamic, type Resource } from './resource.ts'

/** What every operation of the data service works with. */
export interface DataService {
  db: Db
  recheck: Recheck
  engine: Engine
  plans: Map<string, ReadPlan>
  lists: ListCache
  longAnswers: LongAnswers
}

/** One call of one caller on one resource. */
export interface Call {
  resource: Resource
  caller: Caller
  request: FastifyRequest
  search: string
  preferences: Preferences
  media: MediaType
}

export function readCall(request: FastifyRequest, resource: Resource, caller: Caller): Call {
  const { url, headers } = request
  const mark = url.indexOf('?')
  return {
    resource,
    caller,
    request,
    search: mark === -1 ? '' : url.slice(mark + 1),
    preferences: parsePreferences(headers.prefer),
    media: negotiate(headers.accept),
  }
}

export function readQuery({ search, resource }: Call): Query {
  return parseQuery(search, resource.name)
}

export function listKey({ resource, search }: Call): string {
  return `${resource.name}?${search}`
}

const MAX_PLANS = 500
const MAX_CACHED_LENGTH = 2_000

/** The plan of a list by its address. Values are part of the address, so one plan never answers another question. */
export function planFor(service: DataService, call: Call): ReadPlan {
  const key = listKey(call)
  const known = service.plans.get(key)
  if (known !== undefined) return known
  const query = readQuery(call)
  const plan = planRead(call.resource, service.engine, asDynamic(service.db), query, {
    offset: query.offset,
    limit: query.limit,
  })
  if (key.length <= MAX_CACHED_LENGTH) {
    if (service.plans.size >= MAX_PLANS) service.plans.clear()
    service.plans.set(key, plan)
  }
  return plan
}

import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Db } from '../db/database.ts'
import { AppError } from './app-error.ts'
import { type Caller, isAdministrator } from './caller.ts'

/** What every room needs that answers administrators. */
export interface AdminAccess {
  /** Who calls, by key and bearer token; throws when the token is not good. */
  identify: (request: FastifyRequest) => Promise<Caller>
  /** The dashboard's own origins: the only ones from which a browser may call. */
  origins: readonly string[]
}

/** The same question inside the transaction that writes: who was removed, banned or signed out meanwhile writes nothing. */
export type Recheck = (trx: Db, caller: Caller) => Promise<Caller>

/** Who calls, if it is an administrator. */
export async function requireAdministrator(
  { identify }: Pick<AdminAccess, 'identify'>,
  request: FastifyRequest,
): Promise<Caller> {
  const caller = await identify(request)
  if (isAdministrator(caller)) return caller
  if (caller.kind === 'user') {
    if (caller.role !== null && caller.needsSecondFactor)
      throw new AppError(
        403,
        'insufficient_aal',
        'Falta a segunda etapa do login. Entre de novo e confirme-a.',
      )
    throw new AppError(403, 'forbidden', 'Sua conta não tem acesso administrativo.')
  }
  throw new AppError(401, 'unauthorized', 'Entre para continuar.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

export function pathId(request: FastifyRequest): string {
  const parsed = z.uuid().safeParse((request.params as { id?: string }).id)
  if (!parsed.success) throw new AppError(404, 'not_found', 'Não encontrado.')
  return parsed.data
}

/** No body is an empty one. */
export function readBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  request: FastifyRequest,
): z.output<Schema> {
  const parsed = schema.safeParse(request.body ?? {})
  if (!parsed.success) throw new AppError(400, 'bad_request', 'Pedido inválido.')
  return parsed.data
}

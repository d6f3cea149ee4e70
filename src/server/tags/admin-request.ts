import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { AppError } from '../http/app-error.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'

/** Who calls, if it is an administrator. */
export async function requireAdministrator(
  { identify }: { identify: (request: FastifyRequest) => Promise<Caller> },
  request: FastifyRequest,
): Promise<Caller> {
  const caller = await identify(request)
  if (isAdministrator(caller)) return caller
  if (caller.kind === 'user') throw new AppError(403, 'forbidden', 'Sua conta não tem acesso administrativo.')
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

import type { SecretPlace } from '#server/db/secret-port.ts'

export function factorSecretPlace(factorId: string): SecretPlace {
  return { table: 'auth_factors', column: 'secret', row: factorId }
}

import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { registerManagePasskeys } from './manage-passkeys.ts'
import { registerPasskeyCreation } from './register-passkey.ts'
import { registerPasskeySignIn } from './sign-in-with-passkey.ts'

export function registerPasskeys(scope: FastifyInstance, context: AuthContext): void {
  registerPasskeyCreation(scope, context)
  registerPasskeySignIn(scope, context)
  registerManagePasskeys(scope, context)
}

import type { FastifyInstance } from 'fastify'
import type { AuthContext } from '#server/auth/auth-context.ts'
import { registerChallengeFactor } from './challenge-factor.ts'
import { registerEnrollFactor } from './enroll-factor.ts'
import { registerUnenrollFactor } from './unenroll-factor.ts'
import { registerVerifyFactor } from './verify-factor.ts'

export function registerFactors(scope: FastifyInstance, context: AuthContext): void {
  registerEnrollFactor(scope, context)
  registerChallengeFactor(scope, context)
  registerVerifyFactor(scope, context)
  registerUnenrollFactor(scope, context)
}

import { describe, expect, test } from 'vitest'
import { adviseOnFailure, describeFailure, NO_ADMIN_ACCESS, SESSION_ENDED } from './error-messages.ts'

const FALLBACK = 'Erro ao fazer login'

describe('describeFailure', () => {
  test.each([
    [
      'a wrong password',
      { status: 400, code: 'invalid_credentials', message: 'Invalid login credentials' },
      'E-mail ou senha incorretos. Confira e tente novamente.',
    ],
    [
      'a taken e-mail',
      { status: 409, code: 'email_exists', message: 'A user with…' },
      'Já existe um usuário com este e-mail. Use outro e-mail.',
    ],
    [
      'a session that is gone',
      { status: 403, code: 'session_not_found', message: 'Session from…' },
      SESSION_ENDED,
    ],
    ['a token that has expired', { status: 401, code: 'PGRST303', message: 'JWT expired' }, SESSION_ENDED],
    [
      'a message that nobody foresaw, as it came',
      { status: 400, code: 'P0001', message: 'Motivo do servidor' },
      'Motivo do servidor',
    ],
    ['a refusal without a word', { status: 400, code: '', message: ' ' }, FALLBACK],
    ['no answer at all', { status: 0, code: '', message: 'TypeError: Failed to fetch' }, FALLBACK],
    [
      'a broken server, whose words are for its operator',
      { status: 500, code: 'unexpected_failure', message: 'Internal' },
      FALLBACK,
    ],
    [
      'too many attempts',
      { status: 429, code: 'over_request_rate_limit', message: 'Request rate limit reached' },
      'Muitas tentativas em pouco tempo. Aguarde alguns minutos e tente novamente.',
    ],
  ])('%s', (_name, failure, text) => {
    expect(describeFailure(failure, FALLBACK)).toBe(text)
  })

  test('a weak password lists its reasons in Portuguese, unknown ones unchanged', () => {
    const failure = { status: 422, code: 'weak_password', reasons: ['length', 'pwned', 'motivo novo'] }
    expect(describeFailure(failure, FALLBACK)).toBe(
      'Use de 8 a 128 caracteres na senha. Esta senha é comum ou já vazou na internet. Escolha outra. motivo novo',
    )
    expect(describeFailure({ status: 422, code: 'weak_password' }, FALLBACK)).toBe(
      'Escolha uma senha mais forte.',
    )
  })
})

test('gives advice where the person can act on it', () => {
  expect(adviseOnFailure({ status: 0 })).toContain('conexão')
  expect(adviseOnFailure({ status: 503 })).toContain('Tente novamente')
  expect(adviseOnFailure({ status: 400 })).toBeNull()
})

test('the refusal of an account without a role is the agreed text', () => {
  expect(NO_ADMIN_ACCESS).toBe('Sua conta não tem acesso administrativo. Peça acesso a um administrador.')
})

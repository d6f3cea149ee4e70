import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from './accounts.ts'

/** A failed call of either protocol. `status` 0 means no response. */
export interface Failure {
  status: number
  code?: string | null | undefined
  message?: string | null | undefined
  /** Why a password was refused (`weak_password.reasons` of the auth service). */
  reasons?: readonly string[] | undefined
}

/** Shown when a person must sign in again. */
export const SESSION_ENDED = 'Sua sessão expirou. Entre novamente para continuar.'
export const NO_ADMIN_ACCESS = 'Sua conta não tem acesso administrativo. Peça acesso a um administrador.'

/** Error codes of an ended session. */
const SESSION_CODES = [
  'session_not_found',
  'session_expired',
  'refresh_token_not_found',
  'refresh_token_already_used',
  'no_authorization',
  'bad_jwt',
  'jwt_expired',
  'PGRST301',
  'PGRST303',
]

export function isSessionOver({ code }: Failure): boolean {
  return SESSION_CODES.includes(code ?? '')
}

const EMAIL_TAKEN = 'Já existe um usuário com este e-mail. Use outro e-mail.'
const TRY_LATER = 'Muitas tentativas em pouco tempo. Aguarde alguns minutos e tente novamente.'
const NOT_ALLOWED = 'Você não tem permissão para fazer isso. Fale com um administrador.'
const LINK_OVER = 'O link ou código está incorreto ou venceu. Confira ou peça outro.'
const NOT_ACCEPTED = 'Um dos valores não é válido. Confira os campos.'
const OUT_OF_DATE = 'O painel foi atualizado. Recarregue a página.'

/** Texts by error code; the API itself is in English. */
const TEXTS: Readonly<Record<string, string>> = {
  invalid_credentials: 'E-mail ou senha incorretos. Confira e tente novamente.',
  email_not_confirmed: 'Este e-mail ainda não foi confirmado. Abra o link que enviamos para ele.',
  user_banned: 'Esta conta está bloqueada. Fale com um administrador.',
  over_request_rate_limit: TRY_LATER,
  over_email_send_rate_limit: 'Enviamos um e-mail há pouco. Aguarde 1 minuto para pedir outro.',
  signup_disabled: 'Novos cadastros estão desativados. Peça acesso a um administrador.',
  weak_password: 'Escolha uma senha mais forte.',
  same_password: 'A nova senha precisa ser diferente da atual.',
  email_exists: EMAIL_TAKEN,
  user_already_exists: EMAIL_TAKEN,
  ...Object.fromEntries(SESSION_CODES.map((code) => [code, SESSION_ENDED])),
  user_not_found: 'Esta conta não existe mais. Fale com um administrador.',
  not_admin: NOT_ALLOWED,
  otp_expired: LINK_OVER,
  mfa_verification_failed: 'Código incorreto. Aguarde o próximo código no aplicativo e tente novamente.',
  mfa_challenge_expired: 'O tempo acabou. Digite o código atual do aplicativo.',
  passkey_not_used: 'Nenhuma chave de acesso foi usada. Tente novamente ou entre com a senha.',
  webauthn_verification_failed: 'Esta chave de acesso não vale mais. Entre com a senha.',
  webauthn_challenge_not_found: 'O tempo acabou. Tente novamente.',
  webauthn_challenge_expired: 'O tempo acabou. Tente novamente.',
  webauthn_credential_exists: 'Este dispositivo já tem uma chave de acesso desta conta.',
  too_many_passkeys: 'Você já tem 10 chaves de acesso. Remova uma para criar outra.',
  recovery_code_invalid: 'Código de recuperação incorreto ou já usado. Tente outro.',
  reauthentication_needed: 'Confirme que é você para alterar a senha.',
  reauthentication_not_valid: 'O código enviado por e-mail venceu. Peça outro.',
  current_password_required: 'Digite sua senha atual.',
  current_password_invalid: 'A senha atual está incorreta. Confira e tente novamente.',
  conflict: 'Sua senha mudou enquanto isso. Tente novamente.',
  insufficient_aal: 'Para fazer isso, entre novamente com a verificação em duas etapas.',
  validation_failed: NOT_ACCEPTED,
  too_many_enrolled_mfa_factors: 'Sua conta já tem o máximo de verificações. Remova uma para criar outra.',
  mfa_factor_name_conflict: 'Sua conta já tem uma verificação com este nome. Recarregue a página.',
  mfa_factor_not_found: 'A verificação em duas etapas mudou enquanto isso. Recarregue a página.',
  mfa_ip_address_mismatch: 'Sua conexão mudou durante a verificação. Tente novamente.',
  flow_state_not_found: LINK_OVER,
  bad_code_verifier: LINK_OVER,
  bad_json: OUT_OF_DATE,
  caller_gone: 'A resposta demorou demais. Tente novamente.',
  '42501': NOT_ALLOWED,
  '40001': 'Outra alteração foi salva ao mesmo tempo. Tente novamente.',
  '54000': 'Os dados enviados são grandes demais. Reduza e tente novamente.',
  PGRST116: 'Este registro não existe mais. Recarregue a página.',
  '23502': 'Preencha os campos obrigatórios.',
  '23514': NOT_ACCEPTED,
  '23505': 'Já existe um cadastro com estes dados. Confira os campos.',
}

/** Groups of codes: values and calls that the data service cannot parse, and disabled sign-in methods. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^22\w{3}$/, 'Um dos campos está em formato inválido. Confira e tente novamente.'],
  [/^(?:PGRST\d{3}|(?:0A|21|42)\w{3})$/, OUT_OF_DATE],
  [/_disabled$/, 'Esta forma de entrar está desativada.'],
]

const PASSWORD_REASONS: Readonly<Record<string, string>> = {
  length: `Use de ${PASSWORD_MIN_LENGTH} a ${PASSWORD_MAX_LENGTH} caracteres na senha.`,
  characters: 'Misture letras, números e símbolos na senha.',
  pwned: 'Esta senha é comum ou já vazou na internet. Escolha outra.',
  guessable: 'Esta senha é fácil de adivinhar. Tente juntar três ou quatro palavras pouco óbvias.',
}

/** No response or a server error: its own text would not help. */
function isOutage({ status }: Failure): boolean {
  return status === 0 || status >= 500
}

/**
 * The text for a failed call: by code in Portuguese, an unknown message unchanged, and `fallback` without a usable
 * message.
 */
export function describeFailure(failure: Failure, fallback: string): string {
  const reasons = (failure.reasons ?? []).map((reason) => PASSWORD_REASONS[reason] ?? reason)
  if (reasons.length > 0) return reasons.join(' ')
  const known = failure.code ? TEXTS[failure.code] : undefined
  if (known !== undefined) return known
  if (isOutage(failure)) return fallback
  const [, kind] = KINDS.find(([pattern]) => pattern.test(failure.code ?? '')) ?? []
  if (kind !== undefined) return kind
  return failure.message?.trim() || fallback
}

/** What to do next, if the text does not say it. */
export function adviseOnFailure(failure: Failure): string | null {
  if (failure.status === 0) return 'Sem resposta do servidor. Verifique sua conexão e tente novamente.'
  if (failure.status >= 500) return 'Erro no servidor. Tente novamente em instantes.'
  return null
}

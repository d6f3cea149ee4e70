import type { ActivityKind } from '#contract/activity.ts'

/** The fields of an event that its sentence needs. */
export interface ActivityFacts {
  /** The pixel, person or key; null if it is no longer known. */
  name: string | null
  /** True if the person acted on themselves. */
  isSelf: boolean
  wasActive: boolean | null
  isActive: boolean | null
  /** Only the switch was changed. */
  isSwitchOnly: boolean
  /** For a created pixel: it had been deleted before. */
  isRestored: boolean
  oldRole: string | null
  newRole: string | null
  oldEmail: string | null
  newEmail: string | null
  /** The address to be confirmed. */
  askedEmail: string | null
  /** A typed address of an unknown person; null if it is none. */
  typedEmail: string | null
  /** Permitted or revoked by this event. */
  hosts: readonly string[]
}

interface Sentence {
  kind: ActivityKind
  say: (facts: ActivityFacts) => string
}

const ROLES: Readonly<Record<string, string>> = { admin: 'Admin', super_admin: 'Super Admin' }
const roleOf = (role: string | null) => ROLES[role ?? ''] ?? 'Usuário'
const pixel = ({ name }: ActivityFacts) => (name === null ? 'um pixel excluído' : `o pixel ${name}`)
const ofPixel = ({ name }: ActivityFacts) => (name === null ? 'de um pixel excluído' : `do pixel ${name}`)
const inPixel = ({ name }: ActivityFacts) => (name === null ? 'em um pixel excluído' : `no pixel ${name}`)
const domains = ({ hosts: [first, ...others] }: ActivityFacts) =>
  first === undefined
    ? 'um domínio'
    : `${others.length === 0 ? 'o domínio' : 'os domínios'} ${[first, ...others].join(', ')}`
const person = ({ name }: ActivityFacts) => name ?? 'uma conta excluída'
const own = (facts: ActivityFacts, mine: string, theirs: string) =>
  facts.isSelf ? mine : `${theirs} ${person(facts)}`
const say = (kind: ActivityKind, words: string | Sentence['say']): Sentence => ({
  kind,
  say: typeof words === 'string' ? () => words : words,
})

/** Every recorded action as the text after the actor's name. */
export const SENTENCES: Readonly<Record<string, Sentence>> = {
  'tracking_pixels.insert': say('pixels', (facts) =>
    facts.isRestored ? `restaurou ${pixel(facts)} da lixeira` : `adicionou ${pixel(facts)}`,
  ),
  'tracking_pixels.update': say('pixels', (facts) => {
    const { wasActive, isActive, isSwitchOnly } = facts
    if (wasActive === isActive) return `editou ${pixel(facts)}`
    const verb = isActive === true ? 'ativou' : 'desativou'
    return isSwitchOnly ? `${verb} ${pixel(facts)}` : `editou e ${verb} ${pixel(facts)}`
  }),
  'tracking_pixels.delete': say('pixels', (facts) => `excluiu ${pixel(facts)}`),
  'tags.pause': say('pixels', 'pausou todas as tags'),
  'tags.resume': say('pixels', 'retomou todas as tags'),
  'tags.allow_host': say('pixels', (facts) => `permitiu ${domains(facts)} ${inPixel(facts)}`),
  'tags.revoke_host': say(
    'pixels',
    (facts) => `removeu a permissão para ${domains(facts)} ${inPixel(facts)}`,
  ),

  'tags.test': say('pixels', (facts) => `testou ${pixel(facts)}`),
  'tags.breaker_pause': say('pixels', (facts) => `pausou ${pixel(facts)} porque falhou em muitas visitas`),
  'tags.breaker_warn': say('pixels', (facts) => `avisou que ${pixel(facts)} falhou em muitas visitas`),
  'tags.breaker_pause_cost': say(
    'pixels',
    (facts) => `pausou ${pixel(facts)} porque deixou a página lenta em muitas visitas`,
  ),
  'tags.breaker_warn_cost': say(
    'pixels',
    (facts) => `avisou que ${pixel(facts)} deixou a página lenta em muitas visitas`,
  ),
  'alerts.webhook_set': say('system', 'conectou um chat aos avisos'),
  'alerts.webhook_changed': say('system', 'alterou o chat dos avisos'),
  'alerts.webhook_removed': say('system', 'desconectou o chat dos avisos'),
  'alerts.webhook_tested': say('system', 'enviou um teste ao chat dos avisos'),
  'deliveries.retry': say('pixels', (facts) => `pediu um novo envio dos eventos na fila ${ofPixel(facts)}`),
  'tags.breaker_rearm': say('pixels', (facts) => `retomou ${pixel(facts)} depois da pausa automática`),

  'auth.passkey_added': say('sign_ins', 'adicionou uma chave de acesso'),
  'auth.passkey_renamed': say('sign_ins', 'renomeou uma chave de acesso'),
  'auth.passkey_removed': say('sign_ins', (facts) =>
    own(facts, 'removeu uma chave de acesso', 'removeu uma chave de acesso de'),
  ),
  'user.created': say('people', (facts) => `criou a conta de ${person(facts)}`),
  'user.link_made': say('people', (facts) => `gerou um link de acesso para ${person(facts)}`),
  'user.invited': say('people', (facts) => `convidou ${person(facts)}`),
  'user.imported': say('people', (facts) => `importou do Supabase a conta de ${person(facts)}`),
  'user.role_granted': say('people', (facts) => `deu a função ${roleOf(facts.newRole)} a ${person(facts)}`),
  'user.signed_up': say('people', 'criou a própria conta'),
  'user.updated': say('people', (facts) => {
    const { oldRole, newRole, oldEmail, newEmail, askedEmail } = facts
    if (askedEmail !== null) return `pediu para alterar o e-mail para ${askedEmail}`
    if (newEmail !== null && oldEmail !== null && newEmail !== oldEmail)
      return `alterou o e-mail de ${oldEmail} para ${newEmail}`
    if (newRole !== null && newRole !== oldRole)
      return `alterou a função de ${person(facts)} para ${roleOf(newRole)}`
    return own(facts, 'editou a própria conta', 'editou a conta de')
  }),
  'user.email_changed': say('people', ({ oldEmail, newEmail }) =>
    oldEmail === null || newEmail === null
      ? 'confirmou o novo e-mail'
      : `confirmou a alteração do e-mail, de ${oldEmail} para ${newEmail}`,
  ),
  'user.password_changed': say('people', (facts) =>
    own(facts, 'alterou a própria senha', 'alterou a senha de'),
  ),
  'user.deleted': say('people', (facts) => own(facts, 'excluiu a própria conta', 'excluiu a conta de')),
  'user.soft_deleted': say('people', (facts) => `desativou a conta de ${person(facts)}`),
  'user.made_principal': say('people', (facts) => `tornou ${person(facts)} administrador principal`),
  'user.factor_removed': say(
    'people',
    (facts) => `desativou a verificação em duas etapas de ${person(facts)}`,
  ),

  'auth.signed_in': say('sign_ins', 'entrou'),
  'auth.sign_in_failed': say(
    'sign_ins',
    ({ typedEmail }) =>
      `tentou entrar ${typedEmail === null ? 'sem um e-mail válido' : `como ${typedEmail}`} e não conseguiu`,
  ),
  'auth.signed_out': say('sign_ins', 'saiu'),
  'auth.signed_out_others': say('sign_ins', 'encerrou as outras sessões'),
  'auth.signed_out_everywhere': say('sign_ins', 'saiu de todos os dispositivos'),
  'auth.login_ended': say('sign_ins', 'encerrou uma sessão em outro dispositivo'),
  'auth.refresh_token_reused': say(
    'sign_ins',
    'teve a sessão encerrada por segurança: o mesmo acesso foi usado em dois lugares',
  ),
  'auth.factor_enrolled': say('sign_ins', 'começou a configurar a verificação em duas etapas'),
  'auth.factor_verified': say('sign_ins', 'ativou a verificação em duas etapas'),
  'auth.factor_unenrolled': say('sign_ins', 'desativou a verificação em duas etapas'),
  'auth.factors_removed': say(
    'sign_ins',
    (facts) => `desativou a verificação em duas etapas de ${person(facts)}`,
  ),
  'auth.second_step_failed': say('sign_ins', 'errou o código da verificação em duas etapas'),
  'auth.recovery_codes_replaced': say('sign_ins', 'gerou novos códigos de recuperação'),
  'auth.recovery_code_used': say('sign_ins', 'entrou com um código de recuperação'),

  'auth.secrets_discarded': say('system', 'descartou tokens e chaves que não podiam mais ser lidos'),
  'auth.api_key_made': say('system', ({ name }) => `criou a chave de serviço ${name ?? ''}`.trimEnd()),
  'auth.api_key_revoked': say('system', ({ name }) => `revogou a chave de serviço ${name ?? ''}`.trimEnd()),
  'auth.keys_rotated': say('system', 'alterou a chave que assina os logins'),
  'clock.confirmed': say('system', 'confirmou que o relógio do servidor está certo'),
  'activity.export': say('system', 'baixou o registro de atividade'),
  'consent.export': say('system', 'baixou os números de consentimento em CSV'),
  'consent.records_export': say('system', 'baixou registros de consentimento'),
  'consent.dossier': say('system', 'baixou um dossiê para auditoria'),
  'inventory.headers_told': say('system', 'avisou por e-mail que a segurança da página mudou'),
  'inventory.headers_changed': say(
    'system',
    'detectou uma mudança na segurança da página sem mudança de tag',
  ),

  'outcomes.name_declared': say('system', ({ name }) => `criou o resultado ${name ?? ''}`.trimEnd()),
  'outcomes.name_relabelled': say('system', ({ name }) => `renomeou o resultado ${name ?? ''}`.trimEnd()),
  'outcomes.event_chosen': say('system', ({ name }) =>
    `mudou o envio do resultado ${name ?? ''} às plataformas`.replace('  ', ' '),
  ),
  'outcomes.key_made': say('system', ({ name }) => `criou a chave de API ${name ?? ''}`.trimEnd()),
  'outcomes.key_revoked': say('system', ({ name }) => `revogou a chave de API ${name ?? ''}`.trimEnd()),

  'newsletter.erase': say('newsletter', 'excluiu uma inscrição a pedido da pessoa'),
  'newsletter.export': say('newsletter', 'baixou a lista de inscrições'),
  'newsletter.retry': say('newsletter', 'pediu um novo envio das inscrições na fila'),
}

/** An action of an older or newer version is shown by its name. */
export function sentenceOf(action: string, facts: ActivityFacts): { kind: ActivityKind; text: string } {
  const sentence = SENTENCES[action]
  if (sentence === undefined)
    return { kind: 'system', text: `fez uma ação que esta versão não reconhece (${action})` }
  return { kind: sentence.kind, text: sentence.say(facts) }
}

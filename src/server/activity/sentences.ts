import type { ActivityKind } from '#contract/activity.ts'

/** What the trail keeps of an event, as far as its sentence needs it. */
export interface ActivityFacts {
  /** The pixel, the person or the key that it is about; null where nobody knows any more. */
  name: string | null
  /** Whether the person that it is about is the one who acted. */
  isSelf: boolean
  wasActive: boolean | null
  isActive: boolean | null
  /** Nothing but the switch was changed. */
  isSwitchOnly: boolean
  /** Of a pixel that came: it had been deleted before. */
  isRestored: boolean
  oldRole: string | null
  newRole: string | null
  oldEmail: string | null
  newEmail: string | null
  /** What the address is to become once it is confirmed. */
  askedEmail: string | null
  /** What was typed as an address by whoever is not known; null where it is none. */
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
const pixel = ({ name }: ActivityFacts) =>
  name === null ? 'um pixel que não existe mais' : `o pixel ${name}`
const ofPixel = ({ name }: ActivityFacts) => (name === null ? 'um pixel que não existe mais' : name)
const person = ({ name }: ActivityFacts) => name ?? 'uma conta que não existe mais'
const own = (facts: ActivityFacts, mine: string, theirs: string) =>
  facts.isSelf ? mine : `${theirs} ${person(facts)}`
const say = (kind: ActivityKind, words: string | Sentence['say']): Sentence => ({
  kind,
  say: typeof words === 'string' ? () => words : words,
})

/** Every action that is ever recorded, as what comes after the name of who did it. */
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
  'tags.resume': say('pixels', 'retomou as tags'),
  'tags.allow_host': say(
    'pixels',
    (facts) => `permitiu ${facts.hosts.join(', ') || 'um endereço'} em ${ofPixel(facts)}`,
  ),
  'tags.revoke_host': say(
    'pixels',
    (facts) => `revogou ${facts.hosts.join(', ') || 'um endereço'} em ${ofPixel(facts)}`,
  ),

  'tags.test': say('pixels', (facts) => `testou ${pixel(facts)}`),
  'tags.breaker_pause': say('pixels', (facts) => `pausou ${pixel(facts)}, que falhava em visitas demais`),
  'tags.breaker_warn': say('pixels', (facts) => `avisou que ${pixel(facts)} falha em visitas demais`),
  'tags.breaker_pause_cost': say(
    'pixels',
    (facts) => `pausou ${pixel(facts)}, que deixava a página lenta em visitas demais`,
  ),
  'tags.breaker_warn_cost': say(
    'pixels',
    (facts) => `avisou que ${pixel(facts)} deixa a página lenta em visitas demais`,
  ),
  'deliveries.retry': say('pixels', (facts) => `mandou enviar de novo o que esperava de ${ofPixel(facts)}`),
  'tags.breaker_rearm': say('pixels', (facts) => `retomou ${pixel(facts)} depois da pausa automática`),

  'auth.passkey_added': say('sign_ins', 'guardou uma chave de acesso'),
  'auth.passkey_renamed': say('sign_ins', 'deu outro nome a uma chave de acesso'),
  'auth.passkey_removed': say('sign_ins', (facts) =>
    own(facts, 'removeu uma chave de acesso', 'removeu uma chave de acesso de'),
  ),
  'user.created': say('people', (facts) => `criou a conta de ${person(facts)}`),
  'user.link_made': say('people', (facts) => `gerou um link de acesso para ${person(facts)}`),
  'user.invited': say('people', (facts) => `convidou ${person(facts)}`),
  'user.imported': say('people', (facts) => `trouxe do Supabase a conta de ${person(facts)}`),
  'user.role_granted': say('people', (facts) => `deu a ${person(facts)} a função ${roleOf(facts.newRole)}`),
  'user.signed_up': say('people', 'criou a própria conta'),
  'user.updated': say('people', (facts) => {
    const { oldRole, newRole, oldEmail, newEmail, askedEmail } = facts
    if (askedEmail !== null) return `pediu para mudar o e-mail para ${askedEmail}`
    if (newEmail !== null && oldEmail !== null && newEmail !== oldEmail)
      return `mudou o e-mail de ${oldEmail} para ${newEmail}`
    if (newRole !== null && newRole !== oldRole)
      return `mudou a função de ${person(facts)} para ${roleOf(newRole)}`
    return own(facts, 'editou a própria conta', 'editou a conta de')
  }),
  'user.email_changed': say('people', ({ oldEmail, newEmail }) =>
    oldEmail === null || newEmail === null
      ? 'confirmou o novo e-mail'
      : `confirmou o novo e-mail: de ${oldEmail} para ${newEmail}`,
  ),
  'user.password_changed': say('people', (facts) =>
    own(facts, 'trocou a própria senha', 'trocou a senha de'),
  ),
  'user.deleted': say('people', (facts) => own(facts, 'excluiu a própria conta', 'excluiu a conta de')),
  'user.soft_deleted': say('people', (facts) => `desativou a conta de ${person(facts)}`),
  'user.made_principal': say('people', (facts) => `tornou ${person(facts)} a conta principal`),
  'user.factor_removed': say('people', (facts) => `removeu a segunda etapa de ${person(facts)}`),

  'auth.signed_in': say('sign_ins', 'entrou'),
  'auth.sign_in_failed': say(
    'sign_ins',
    ({ typedEmail }) =>
      `tentou entrar ${typedEmail === null ? 'sem um e-mail válido' : `como ${typedEmail}`} e não conseguiu`,
  ),
  'auth.signed_out': say('sign_ins', 'saiu'),
  'auth.signed_out_others': say('sign_ins', 'encerrou as suas outras sessões'),
  'auth.signed_out_everywhere': say('sign_ins', 'saiu de todos os lugares'),
  'auth.login_ended': say('sign_ins', 'encerrou uma das suas sessões'),
  'auth.refresh_token_reused': say(
    'sign_ins',
    'teve uma sessão encerrada: a mesma credencial foi usada duas vezes',
  ),
  'auth.factor_enrolled': say('sign_ins', 'começou a configurar a segunda etapa'),
  'auth.factor_verified': say('sign_ins', 'ligou a segunda etapa'),
  'auth.factor_unenrolled': say('sign_ins', 'desligou a segunda etapa'),
  'auth.factors_removed': say('sign_ins', (facts) => `removeu a segunda etapa de ${person(facts)}`),
  'auth.second_step_failed': say('sign_ins', 'errou o código da segunda etapa'),
  'auth.recovery_codes_replaced': say('sign_ins', 'gerou novos códigos de recuperação'),
  'auth.recovery_code_used': say('sign_ins', 'entrou com um código de recuperação'),

  'auth.secrets_discarded': say('system', 'descartou segredos que não podiam mais ser lidos'),
  'auth.api_key_made': say('system', ({ name }) => `criou a chave de serviço ${name ?? ''}`.trimEnd()),
  'auth.api_key_revoked': say('system', ({ name }) => `revogou a chave de serviço ${name ?? ''}`.trimEnd()),
  'auth.keys_rotated': say('system', 'trocou a chave que assina as sessões'),
  'clock.confirmed': say('system', 'confirmou que o relógio do servidor está certo'),
  'activity.export': say('system', 'baixou o registro de atividade'),
  'consent.export': say('system', 'baixou os números de consentimento'),
  'consent.records_export': say('system', 'baixou registros de consentimento'),
  'consent.dossier': say('system', 'baixou um dossiê de consentimento'),
  'inventory.headers_told': say('system', 'avisou por e-mail que os cabeçalhos da página mudaram'),
  'inventory.headers_changed': say('system', 'notou que os cabeçalhos da página mudaram sem mudança de tag'),

  'newsletter.erase': say('newsletter', 'apagou uma inscrição a pedido da pessoa'),
  'newsletter.export': say('newsletter', 'baixou a lista de inscrições'),
  'newsletter.retry': say('newsletter', 'pôs inscrições de volta na fila'),
}

/** What an older or newer version recorded is told by its name. */
export function sentenceOf(action: string, facts: ActivityFacts): { kind: ActivityKind; text: string } {
  const sentence = SENTENCES[action]
  if (sentence === undefined)
    return { kind: 'system', text: `fez algo que esta versão não conhece (${action})` }
  return { kind: sentence.kind, text: sentence.say(facts) }
}

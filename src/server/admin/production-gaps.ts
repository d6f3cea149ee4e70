import type { ProductionGap } from '#contract/admin-page.ts'
import type { Config } from '../config.ts'

type Facts = Pick<Config, 'siteUrl' | 'adminUrl' | 'trustProxy' | 'databaseUrl'> & {
  mail: Pick<Config['mail'], 'smtpUrl'>
  backup: Pick<Config['backup'], 'everyMs'>
}

/** What a site that the world can reach should have and this one has not. On this machine nothing is missing. */
export function findProductionGaps(config: Facts): ProductionGap[] {
  const { protocol, hostname } = new URL(config.siteUrl)
  if (['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return []
  const gaps: ProductionGap[] = []
  const add = (isMissing: boolean, code: string, message: string) => {
    if (isMissing) gaps.push({ code, message })
  }
  add(
    protocol === 'http:',
    'plain_http',
    'O site é servido por http, sem criptografia. Termine o TLS em um proxy e ponha https em SITE_URL.',
  )
  add(
    config.adminUrl === null,
    'no_admin_url',
    'O painel está no mesmo endereço que o site, onde rodam as tags. Dê a ele um endereço próprio em ADMIN_URL.',
  )
  add(
    config.mail.smtpUrl === null,
    'no_smtp_url',
    'Nenhum e-mail é enviado: convites e recuperação de senha ficam na pasta outbox. Defina SMTP_URL.',
  )
  // This process speaks no TLS: an https address means that something stands in front of it.
  add(
    protocol === 'https:' && config.trustProxy === false,
    'no_trust_proxy',
    'Há um proxy na frente, mas TRUST_PROXY não está definida: todos os visitantes contam como um só. Diga nela de quem é o proxy.',
  )
  add(
    config.databaseUrl === null && config.backup.everyMs === null,
    'no_backups',
    'Nenhum backup é feito por si só. Defina BACKUP_EVERY, como 24h, ou agende "npm run backup".',
  )
  return gaps
}

import { createTransport } from 'nodemailer'
import type { Config } from '#server/config.ts'
import { bad, type Finding, ok, reasonOf, warn } from './finding.ts'

const PATIENCE_MS = 10_000

/** What this program sends to others. Nothing is delivered: neither a mail nor a subscription. */
export async function checkServices(config: Config): Promise<Finding[]> {
  return [await checkMail(config), await checkWebhook(config)]
}

async function checkMail({ mail }: Config): Promise<Finding> {
  if (mail.smtpUrl === null)
    return warn('nenhum e-mail é enviado: as mensagens ficam em DATA_DIR/outbox', 'Defina SMTP_URL.')
  const limits = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS }
  const transport = createTransport({ url: mail.smtpUrl, ...limits })
  try {
    await transport.verify()
    return ok('o servidor de e-mail aceita o nosso acesso')
  } catch (error) {
    return bad(
      `o servidor de e-mail não aceita o nosso acesso (${reasonOf(error)})`,
      'Confira endereço, porta, usuário e senha em SMTP_URL.',
    )
  } finally {
    transport.close()
  }
}

async function checkWebhook({ newsletter: { webhookUrl, webhookSecret } }: Config): Promise<Finding> {
  if (webhookUrl === null)
    return warn('as inscrições da newsletter são guardadas e não entregues', 'Defina NEWSLETTER_WEBHOOK_URL.')
  try {
    // Any answer will do: many take nothing but POST.
    await fetch(webhookUrl, { method: 'HEAD', signal: AbortSignal.timeout(PATIENCE_MS) })
  } catch (error) {
    return bad(
      `o webhook da newsletter não responde (${reasonOf(error)})`,
      'Confira NEWSLETTER_WEBHOOK_URL e a saída da rede.',
    )
  }
  return webhookSecret === null
    ? warn(
        'o webhook da newsletter responde, mas as entregas não são assinadas',
        'Defina NEWSLETTER_WEBHOOK_SECRET.',
      )
    : ok('o webhook da newsletter responde')
}

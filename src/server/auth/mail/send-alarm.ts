import type { AuthContext } from '../auth-context.ts'
import { renderLetter } from './render-letter.ts'

interface Alarm {
  /** The pixel's name. */
  pixel: string
  /** Portuguese, with what to do. */
  message: string
}

/** Tells the principal that the server can no longer send for a pixel. Once for each stop, so no limit is needed. */
export function sendAlarm({ config, mail }: AuthContext, { pixel, message }: Alarm): void {
  const { brandName } = config.site
  mail.later(async () => [
    {
      kind: 'alarm-deliveries',
      to: config.principal.email,
      ...renderLetter(
        {
          subject: `O envio de "${pixel}" parou`,
          paragraphs: [
            `O servidor deixou de enviar as conversões do pixel "${pixel}" no painel ${brandName}.`,
            message,
            'O que ainda não foi enviado está guardado e segue assim que o problema for resolvido.',
          ],
          closing: [`Abra ${config.adminUrl ?? config.siteUrl}/admin e edite o pixel.`],
        },
        brandName,
      ),
    },
  ])
}

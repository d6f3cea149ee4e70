import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { Stop } from './pixels/record-outcomes.ts'

const TIME = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: SITE_TIME_ZONE,
})

/** The e-mail to administrators when a pixel's sending stops. `expiresAt` is the first expiry in its queue. */
export function describeStop(
  pixel: { id: string; name: string },
  { message }: Stop,
  expiresAt: string | null,
) {
  return {
    kind: 'deliveries-stopped',
    subject: `O envio de "${pixel.name}" parou`,
    paragraphs: [
      `O servidor deixou de enviar as conversões do pixel "${pixel.name}".`,
      message,
      expiresAt === null
        ? 'Nenhuma conversão espera na fila.'
        : `As conversões esperam na fila até o prazo da plataforma: a primeira vence em ${TIME.format(new Date(expiresAt))} (horário de Brasília).`,
      'O envio volta quando você salvar a correção. Enquanto isso, tentamos uma conversão por hora e, quando ela é aceita, enviamos as outras.',
    ],
    path: `/admin/pixels/${pixel.id}`,
    label: 'Ver o pixel',
  }
}

import type { Stop } from './pixels/record-outcomes.ts'

/** What administrators are told when nothing more is sent for a pixel. */
export function describeStop(pixel: { id: string; name: string }, { message }: Stop) {
  return {
    kind: 'deliveries-stopped',
    subject: `O envio de "${pixel.name}" parou`,
    paragraphs: [
      `O servidor deixou de enviar as conversões do pixel "${pixel.name}".`,
      message,
      'O que ainda não foi enviado está guardado e segue assim que o problema for resolvido.',
    ],
    path: `/admin/pixels/${pixel.id}`,
    label: 'Abrir o pixel',
  }
}

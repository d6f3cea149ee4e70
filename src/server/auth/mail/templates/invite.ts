import type { Letter, LetterInput } from '../letter.ts'

export function inviteLetter({ brandName, url, code }: LetterInput): Letter {
  return {
    subject: `Convite para ${brandName}`,
    paragraphs: [`Você foi convidado para ter uma conta em ${brandName}. Crie sua senha para começar.`],
    action: { label: 'Aceitar o convite', url },
    code,
    closing: [
      'O link e o código valem por uma hora e servem uma única vez.',
      'Não esperava este convite? Ignore este e-mail.',
    ],
  }
}

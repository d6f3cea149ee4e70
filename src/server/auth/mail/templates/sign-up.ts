import type { Letter, LetterInput } from '../letter.ts'

export function signUpLetter({ brandName, url, code }: LetterInput): Letter {
  return {
    subject: 'Confirme seu e-mail',
    paragraphs: [`Falta um passo para a sua conta em ${brandName}: confirme que este e-mail é seu.`],
    action: { label: 'Confirmar e-mail', url },
    code,
    closing: [
      'O link e o código valem por uma hora e servem uma única vez.',
      'Não pediu uma conta? Ignore este e-mail.',
    ],
  }
}

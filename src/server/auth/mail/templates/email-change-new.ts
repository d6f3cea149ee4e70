import type { Letter, LetterInput } from '../letter.ts'

export function emailChangeNewLetter({ brandName, url, code }: LetterInput): Letter {
  return {
    subject: 'Confirme seu novo e-mail',
    paragraphs: [
      `Este endereço foi informado como o novo e-mail de uma conta em ${brandName}.`,
      'A troca só acontece quando os dois endereços, o antigo e este, confirmarem.',
    ],
    action: { label: 'Confirmar este e-mail', url },
    code,
    closing: [
      'O link e o código valem por uma hora e servem uma única vez.',
      'Não conhece essa conta? Ignore este e-mail.',
    ],
  }
}

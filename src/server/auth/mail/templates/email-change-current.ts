import type { Letter, LetterInput } from '../letter.ts'

/** To the address in use: only who can read it may give it up. */
export function emailChangeCurrentLetter({ brandName, url, code, newEmail }: LetterInput): Letter {
  return {
    subject: 'Autorize a troca do seu e-mail',
    paragraphs: [
      `Alguém que entrou na sua conta em ${brandName} pediu para trocar o e-mail dela para ${newEmail}.`,
      'A troca só acontece quando os dois endereços confirmarem.',
    ],
    action: { label: 'Autorizar a troca', url },
    code,
    closing: [
      'O link e o código valem por uma hora e servem uma única vez.',
      'Não foi você? Não autorize, e troque sua senha agora: outra pessoa pode conhecê-la.',
    ],
  }
}

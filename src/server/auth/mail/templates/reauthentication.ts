import type { Letter, LetterInput } from '../letter.ts'

export function reauthenticationLetter({ place, code }: LetterInput): Letter {
  return {
    subject: 'Seu código de confirmação',
    paragraphs: [`Digite este código ${place} para confirmar que é você.`],
    code,
    closing: [
      'O código vale por uma hora e serve uma única vez.',
      'Não foi você? Troque sua senha agora: outra pessoa entrou na sua conta.',
    ],
  }
}

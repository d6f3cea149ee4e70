import type { Letter, LetterInput } from '../letter.ts'

export function recoveryLetter({ place, url, code }: LetterInput): Letter {
  return {
    subject: 'Crie uma nova senha',
    paragraphs: [`Recebemos um pedido para trocar a senha da sua conta ${place}.`],
    action: { label: 'Criar nova senha', url },
    code,
    closing: [
      'O link e o código valem por uma hora e servem uma única vez.',
      'Não foi você? Ignore este e-mail: sua senha continua a mesma.',
    ],
  }
}

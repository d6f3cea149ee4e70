import type { Letter, LetterInput } from '../letter.ts'

export function magicLinkLetter({ place, url, code }: LetterInput): Letter {
  return {
    subject: 'Seu link para entrar',
    paragraphs: [`Use o link abaixo para entrar ${place} sem digitar a senha.`],
    action: { label: 'Entrar', url },
    code,
    closing: [
      'O link e o código valem por uma hora e servem uma única vez. Não os repasse a ninguém.',
      'Não foi você? Ignore este e-mail: sem ele, ninguém entra.',
    ],
  }
}

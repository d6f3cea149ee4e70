import { expect, test } from 'vitest'
import { composeReport, extractTexts } from './strings.ts'

const SOURCE = `
import { Card } from './nada.ts'
const LABELS = { 'sem acento': 'Salvar', meta: 'a Meta' } as const
type Kind = 'de novo'
export function Screen({ name, count }: Props) {
  log.warn('the queue is full')
  return (
    <Card className="para o lado" title={\`Olá, \${name}\`}>
      Nenhum pixel
      ainda. <b>{count === 1 ? 'não medido' : sql\`select a, o from x\`}</b>
    </Card>
  )
}
`

test('lists texts that people read, with file and declaration, and nothing else', () => {
  expect(extractTexts('screen.tsx', SOURCE)).toEqual([
    { place: 'screen.tsx LABELS', text: 'Salvar' },
    { place: 'screen.tsx LABELS', text: 'a Meta' },
    { place: 'screen.tsx Screen', text: 'Olá, {name}' },
    { place: 'screen.tsx Screen', text: 'Nenhum pixel ainda.' },
    { place: 'screen.tsx Screen', text: 'não medido' },
  ])
})

test('the report lists the texts of today', async () => {
  // `npm run strings`, or -u, writes it again.
  await expect(composeReport()).toMatchFileSnapshot('../docs/reports/strings.tsv')
})

import { watchConversions } from '../tags/watch-conversions.ts'
import type { StepReporter } from './step-reporter.ts'
import type { TestBar } from './test-bar.ts'

/** Where the server alone tells the vendor: nothing runs here, and what is done is told to the test. */
export async function awaitConversions(reporter: StepReporter, bar: TestBar): Promise<void> {
  let phase = 0
  watchConversions(({ name, id }) => {
    phase += 1
    reporter.add({ kind: 'conversion', conversion: name, id }, phase)
    bar.say('O clique foi tentado, e a página fica aqui. Veja no painel o que a plataforma respondeu.')
  })
  reporter.add({ kind: 'settled' })
  bar.say('O servidor avisa a plataforma: veja no painel. Para testar uma conversão, clique em Abrir Conta.')
}

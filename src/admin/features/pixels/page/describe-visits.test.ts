import { expect, test } from 'vitest'
import { describeVisits } from './visit-series.ts'

test.each([
  [{ reached: 0, blocked: 0, failed: 0, not_consented: 0 }, 'Nenhuma visita nas últimas 24 horas.'],
  [
    { reached: 0, blocked: 0, failed: 0, not_consented: 1 },
    'Nas últimas 24 horas, 1 visita recusou os cookies desta tag. Nenhuma visita com consentimento foi registrada.',
  ],
  [
    { reached: 1, blocked: 0, failed: 0, not_consented: 3 },
    'Nas últimas 24 horas, rodou normalmente na única visita com consentimento.',
  ],
  [
    { reached: 1_002, blocked: 171, failed: 1, not_consented: null },
    'Nas últimas 24 horas, rodou normalmente em 1.002 de 1.174 visitas com consentimento; em 171 foi bloqueada por bloqueadores de anúncios ou pela rede e em 1 falhou.',
  ],
  [
    { reached: 0, blocked: 0, failed: 2, not_consented: 0 },
    'Nas últimas 24 horas, rodou normalmente em 0 de 2 visitas com consentimento; em 2 falhou.',
  ],
])('%o', (sum, sentence) => {
  expect(describeVisits({ offered: null, ...sum })).toBe(sentence)
})

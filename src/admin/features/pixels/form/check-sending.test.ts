import { expect, test } from 'vitest'
import { readDebugMessages } from './check-sending.tsx'

test.each([
  ['', []],
  ['<html>', []],
  ['{"events_received":1,"messages":[]}', []],
  ['{"validationMessages":[]}', []],
  ['{"validationMessages":[null,{}]}', [{ field: '', meaning: 'O Google encontrou um problema.', text: '' }]],
  [
    '{"validationMessages":[{"fieldPath":"client_id","description":"Measurement requires a client_id.","validationCode":"VALUE_REQUIRED"}]}',
    [
      {
        field: 'client_id',
        meaning: 'Falta um valor obrigatório.',
        text: 'Measurement requires a client_id.',
      },
    ],
  ],
])('%s', (body, messages) => {
  expect(readDebugMessages(body)).toEqual(messages)
})

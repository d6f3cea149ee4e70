import { expect, test } from 'vitest'
import { explainScriptError } from './health.ts'

test.each([
  ['Uncaught ReferenceError: fbq is not defined', 'o código usa "fbq", que não existe na página.'],
  ["ReferenceError: Can't find variable: gtag", 'o código usa "gtag", que não existe na página.'],
  ['Uncaught TypeError: window.hj is not a function', 'o código chama "window.hj", que não é uma função.'],
  [
    "Uncaught TypeError: Cannot read properties of null (reading 'parentNode')",
    'o código procura algo que não existe na página.',
  ],
  ['TypeError: document.querySelector(...) is null', 'o código procura algo que não existe na página.'],
  [
    "TypeError: undefined is not an object (evaluating 'a.b')",
    'o código procura algo que não existe na página.',
  ],
  [
    'Uncaught SyntaxError: Unexpected token <',
    'o código tem um erro de escrita. Copie de novo da plataforma.',
  ],
  [
    "Uncaught EvalError: Refused to evaluate a string as JavaScript because 'unsafe-eval' is not allowed",
    'o código tenta criar outro código a partir de texto, e o site não permite.',
  ],
  ['Script error.', 'um arquivo de outro domínio deu erro, e o navegador não informou qual.'],
  ['', 'o código deu um erro.'],
  ['qualquer coisa', 'o código deu um erro.'],
])('%s', (original, text) => {
  expect(explainScriptError(original)).toBe(text)
})

import { expect, test } from 'vitest'
import { explainScriptError } from './health.ts'

test.each([
  ['Uncaught ReferenceError: fbq is not defined', 'o código usa "fbq", que não existe na página.'],
  ["ReferenceError: Can't find variable: gtag", 'o código usa "gtag", que não existe na página.'],
  ['Uncaught TypeError: window.hj is not a function', 'o código chama "window.hj", que não é uma função.'],
  [
    "Uncaught TypeError: Cannot read properties of null (reading 'parentNode')",
    'o código procura na página algo que não está lá.',
  ],
  ['TypeError: document.querySelector(...) is null', 'o código procura na página algo que não está lá.'],
  [
    "TypeError: undefined is not an object (evaluating 'a.b')",
    'o código procura na página algo que não está lá.',
  ],
  [
    'Uncaught SyntaxError: Unexpected token <',
    'o código está escrito de um jeito que o navegador não entende.',
  ],
  [
    "Uncaught EvalError: Refused to evaluate a string as JavaScript because 'unsafe-eval' is not allowed",
    'o código monta outro código a partir de texto, e a página não deixa.',
  ],
  ['Script error.', 'um script de outro endereço deu erro e não disse qual.'],
  ['', 'o código deu um erro.'],
  ['qualquer coisa', 'o código deu um erro.'],
])('%s', (original, text) => {
  expect(explainScriptError(original)).toBe(text)
})

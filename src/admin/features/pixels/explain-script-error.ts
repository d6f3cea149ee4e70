import { describeRemoval } from '#contract/isolated-frame.ts'

/** How the engines of browsers word what goes wrong most often in a pasted snippet. */
const EXPLANATIONS: readonly [RegExp, (name: string) => string][] = [
  [/(?<![\w$.])([\w$.]+) is not defined/, (name) => `o código usa "${name}", que não existe na página.`],
  [/Can't find variable: ([\w$.]+)/, (name) => `o código usa "${name}", que não existe na página.`],
  [/(?<![\w$.])([\w$.]+) is not a function/, (name) => `o código chama "${name}", que não é uma função.`],
  [
    /(?:Cannot (?:read|set) propert|(?:undefined|null) is not an object|(?:undefined|null) has no propert|is (?:undefined|null)$)/,
    () => 'o código procura na página algo que não está lá.',
  ],
  [
    /SyntaxError|Unexpected |Invalid or unexpected/,
    () => 'o código está escrito de um jeito que o navegador não entende.',
  ],
  [
    /unsafe-eval|EvalError|TrustedScript/,
    () => 'o código monta outro código a partir de texto, e a página não deixa.',
  ],
  [/SecurityError|Permission denied/, () => 'o navegador não deixou o código fazer o que tentou.'],
  [/NetworkError|Failed to fetch|Load failed/, () => 'o código não conseguiu falar com o servidor dele.'],
  [/too much recursion|Maximum call stack/, () => 'o código chama a si mesmo sem parar.'],
  [/^Script error/, () => 'um script de outro endereço deu erro e não disse qual.'],
]

/** The first thing that a person needs to know of a script's error, in Portuguese. */
export function explainScriptError(original: string): string {
  const removal = describeRemoval(original)
  if (removal !== undefined) return `${removal}.`
  for (const [pattern, explain] of EXPLANATIONS) {
    const found = pattern.exec(original)
    if (found !== null) return explain(found[1] ?? '')
  }
  return 'o código deu um erro.'
}

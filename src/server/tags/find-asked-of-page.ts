/** What code does to a page that it could not do from outside, as in "Este código …". Linear: no nested quantifiers. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:querySelector(?:All)?|getElementById|getElementsBy(?:ClassName|Name)|elementFromPoint|MutationObserver|document\.(?:forms|links|images|all))\b/,
    'lê ou muda elementos da página',
  ],
  [
    /\b(?:innerHTML|outerHTML|insertAdjacentHTML|attachShadow|adoptedStyleSheets|innerText)\b|\bcreateElement\(\s*['"`](?:div|span|iframe|style|link|button|form|input|a|section|dialog)['"`]/,
    'desenha na página',
  ],
  [
    /\baddEventListener\(\s*['"`](?:click|submit|input|change|key\w{1,8}|mouse\w{1,8}|pointer\w{1,8}|touch\w{1,8}|scroll|focus\w{0,3}|blur)['"`]|\.on(?:click|submit|scroll|keydown|input)\s{0,3}=/,
    'ouve o que o visitante faz na página',
  ],
  [
    /\blocation(?:\.href)?\s{0,3}=(?!=)|\blocation\.(?:assign|replace|reload)\b|\bwindow\.open\b/,
    'muda o endereço da página ou abre janelas',
  ],
  [
    /\b(?:window|self)\.(?:top|parent)\b|\btop\s{0,3}[!=]==?\s{0,3}(?:self|window)\b/,
    'confere se está na página',
  ],
]

/** The first that any of these scripts does; null when none asks for anything. A word in a comment counts too: it is only a proposal. */
export function findAskedOfPage(scripts: readonly string[]): string | null {
  return SIGNS.find(([sign]) => scripts.some((script) => sign.test(script)))?.[1] ?? null
}

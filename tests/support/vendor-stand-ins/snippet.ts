/** Parts of the pasted snippets: patterns that many vendors share, in our own words. */

/** A function that keeps its calls until the vendor's library takes over. */
export function keepsCalls(name: string): string {
  return `window.${name} = window.${name} || function () { (${name}.queue = ${name}.queue || []).push(arguments) };`
}

/** A list with methods that keep their calls in it. */
export function keepsMethods(name: string, methods: string[]): string {
  return `window.${name} = window.${name} || [];
${JSON.stringify(methods)}.forEach(function (m) {
  ${name}[m] = ${name}[m] || function () { ${name}.push([m].concat([].slice.call(arguments))) }
});`
}

/** Code that adds the vendor's first script to the page. */
export function loads(address: string): string {
  return `(function (d) {
  var s = d.createElement('script'); s.async = true; s.src = ${address};
  d.getElementsByTagName('script')[0].parentNode.insertBefore(s, d.getElementsByTagName('script')[0])
})(document);`
}

export function inline(...lines: string[]): string {
  return `<script>\n${lines.join('\n')}\n</script>`
}

export function noscriptImage(address: string): string {
  return `<noscript><img height="1" width="1" alt="" style="display:none" src="${address}"></noscript>`
}

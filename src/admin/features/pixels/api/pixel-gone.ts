export const PIXEL_GONE = 'Este pixel já foi excluído por outra pessoa.'

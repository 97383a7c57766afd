"""A name that means no good, and how one sees that it had its way."""

# Breaks out of attributes (also where a mark joins the quotation mark), out of elements and scripts, turns the direction, and is long.
EVIL = ('"\u0301\' onmouseover="document.documentElement.dataset.hacked=1" x="</title></script>'
        '<script>document.documentElement.dataset.hacked=1</script><img src=x onerror="document.documentElement.dataset.hacked=1">'
        '{{7*7}} %00 ../ \u202eתודה \u0645\u0631\u062d\u0628\u0627 ')
HACKED = "return document.documentElement.dataset.hacked || null"

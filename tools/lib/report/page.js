(function () {
  "use strict";
  // The page is complete without this script. It sorts tables and shows tooltips at once, also on a touch screen.
  // The page is read as XML, too: no ampersand and no left angle bracket may stand here.

  function key(row, column) {
    var cell = row.cells[column];
    return cell.hasAttribute("data-v") ? Number(cell.getAttribute("data-v")) : cell.textContent;
  }

  function order(a, b, direction) {
    if (a === b) { return 0; }
    if (a === "") { return 1; }  // empty cells stay at the end
    if (b === "") { return -1; }
    var numbers = typeof a === "number" ? typeof b === "number" : false;
    return direction * (numbers ? a - b : String(a).localeCompare(String(b), undefined, {numeric: true}));
  }

  function sort(table, heads, column) {
    var direction = heads[column].getAttribute("aria-sort") === "ascending" ? -1 : 1;
    heads.forEach(function (head) { head.removeAttribute("aria-sort"); });
    heads[column].setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
    var body = table.tBodies[0];
    Array.from(body.rows).sort(function (a, b) {
      return order(key(a, column), key(b, column), direction);
    }).forEach(function (row) { body.appendChild(row); });
  }

  document.querySelectorAll("table").forEach(function (table) {
    var heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () { sort(table, heads, column); });
    });
  });

  var tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.appendChild(tip);

  function show(event, words) {
    tip.textContent = words;
    tip.hidden = false;
    var room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = window.scrollX + Math.max(8, Math.min(event.clientX + 12, room)) + "px";
    tip.style.top = window.scrollY + event.clientY - tip.offsetHeight - 12 + "px";
  }

  document.querySelectorAll(".spot").forEach(function (spot) {
    var title = spot.querySelector("title"), words = title.textContent;
    title.remove();  // or the browser would show the words a second time
    spot.setAttribute("data-tip", words);
    ["pointerenter", "click"].forEach(function (kind) {
      spot.addEventListener(kind, function (event) { show(event, words); });
    });
    spot.addEventListener("pointerleave", function () { tip.hidden = true; });
  });
}());
